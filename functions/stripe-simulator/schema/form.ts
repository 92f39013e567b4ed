/** A form with Stripe's nested names, `card[number]=…&types[0]=…`; arrays are objects of indices. */
export type Form = { [name: string]: string | Form };

export function parseForm(text: string): Form {
  const form = emptyForm();
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]$/).filter((part) => part !== "");
    const last = path.pop();
    if (last === undefined) continue;
    let place = form;
    for (const part of path) {
      const inner = place[part];
      place = place[part] = typeof inner === "object" ? inner : emptyForm();
    }
    place[last] = value;
  }
  return form;
}

/** Without a prototype: a field may be called `__proto__`. */
function emptyForm(): Form {
  return Object.create(null);
}
