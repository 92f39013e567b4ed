const encoder = new TextEncoder();

/** A random placeholder for each value, so that no content can contain it. */
export type Markers<Name extends string> = Record<Name, string>;

/** A rendered page without the values that differ between responses. */
export interface PageTemplate<Name extends string> {
  /** Fills in the values, which must need no escaping. */
  fill(values: Record<Name, string>): Response;
}

type Part<Name, Fixed> = Fixed | { value: Name };
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Splits a rendered page's body and headers at its markers. Keeps the fixed parts as bytes, because copying is cheaper than
 * encoding.
 */
export async function pageTemplate<Name extends string>(
  page: Response,
  markers: Markers<Name>,
): Promise<PageTemplate<Name>> {
  const { status, headers } = page;
  const body = split(await page.text(), markers).map((part) =>
    typeof part === "string" ? encoder.encode(part) : part,
  );
  const headersWithValues = [...headers].flatMap(([name, text]) => {
    const parts = split(text, markers);
    return parts.length > 1 ? [{ name, parts }] : [];
  });
  return {
    fill(values) {
      const filled = new Response(join(body, values), { status, headers });
      for (const { name, parts } of headersWithValues) {
        filled.headers.set(name, parts.map((part) => (typeof part === "string" ? part : values[part.value])).join(""));
      }
      return filled;
    },
  };
}

function split<Name extends string>(text: string, markers: Markers<Name>): Part<Name, string>[] {
  const names = Object.keys(markers) as Name[];
  return names.reduce<Part<Name, string>[]>(
    (parts, value) =>
      parts.flatMap((part) =>
        typeof part === "string"
          ? part.split(markers[value]).flatMap((piece, index) => (index === 0 ? [piece] : [{ value }, piece]))
          : [part],
      ),
    [text],
  );
}

function join<Name extends string>(parts: Part<Name, Bytes>[], values: Record<Name, string>): Bytes {
  const [whole, ...others] = parts;
  if (whole instanceof Uint8Array && others.length === 0) return whole;
  const pieces = parts.map((part) => (part instanceof Uint8Array ? part : encoder.encode(values[part.value])));
  const page = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    page.set(piece, end);
    end += piece.length;
  }
  return page;
}
