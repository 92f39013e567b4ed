interface ListItem {
  marker: string;
  started: boolean;
}

/** Writes CommonMark with GFM's tables and strikethrough from a document's elements and texts, in their order. */
export class MarkdownWriter {
  #blocks = "";
  /** The text of the open block, then one entry for each open link, emphasis or cell. */
  #inline = [""];
  #lists: { ordered: boolean; items: number }[] = [];
  #items: ListItem[] = [];
  #quotes = 0;
  #row: string[] = [];
  #rows: string[] = [];

  text(text: string): void {
    this.#append(text.replace(/[\\`*_[\]<]/g, "\\$&"));
  }

  /** Begins an element; the returned function ends it. */
  open(name: string, link: string | null): () => void {
    switch (name) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
        return this.#heading(Number(name[1]));
      case "ul":
      case "ol":
        return this.#list(name === "ol");
      case "li":
        return this.#item();
      case "blockquote":
        return this.#quote();
      case "table":
        return this.#table();
      case "tr":
        return this.#tableRow();
      case "th":
      case "td":
      case "caption":
        return this.#capture((text) => name !== "caption" && this.#row.push(text));
      case "a":
        return this.#capture((text) => this.#append(text && `[${text}](${link})`));
      case "strong":
      case "dt":
        return this.#capture((text) => this.#append(text && `**${text}**`));
      case "del":
        return this.#capture((text) => this.#append(text && `~~${text}~~`));
      default:
        if (!BLOCKS.has(name)) return () => {};
        this.#endBlock();
        return () => this.#endBlock();
    }
  }

  lineBreak(): void {
    this.#append("\\\n");
  }

  toString(): string {
    this.#endBlock();
    return `${this.#blocks}\n`;
  }

  #append(text: string | null): void {
    this.#inline[this.#inline.length - 1] += text ?? "";
  }

  #endBlock(): void {
    if (this.#inline.length > 1) return;
    const text = collapseWhiteSpace(this.#inline[0] ?? "");
    this.#inline = [""];
    if (text) this.#write(text);
  }

  #write(block: string): void {
    const item = this.#items.at(-1);
    const startsItem = item !== undefined && !item.started;
    const follows = startsItem && ((this.#lists.at(-1)?.items ?? 1) > 1 || this.#items.length > 1);
    const margin = this.#items.map(({ marker, started }) => (started ? " ".repeat(marker.length) : marker)).join("");
    for (const open of this.#items) open.started = true;
    const rest = " ".repeat(margin.length);
    const lines = block.split("\n").map((line, index) => `${"> ".repeat(this.#quotes)}${index ? rest : margin}${line}`);
    this.#blocks += `${this.#blocks && (follows ? "\n" : "\n\n")}${lines.join("\n")}`;
  }

  /** In a list a heading would break the outline, so it becomes a line in bold. */
  #heading(level: number): () => void {
    this.#endBlock();
    return this.#capture((text) =>
      this.#write(this.#items.length > 0 ? `**${text}**` : `${"#".repeat(level)} ${text}`),
    );
  }

  #list(ordered: boolean): () => void {
    this.#endBlock();
    this.#lists.push({ ordered, items: 0 });
    return () => {
      this.#endBlock();
      this.#lists.pop();
    };
  }

  #item(): () => void {
    this.#endBlock();
    const list = this.#lists.at(-1);
    const number = list ? ++list.items : 1;
    this.#items.push({ marker: list?.ordered ? `${number}. ` : "- ", started: false });
    return () => {
      this.#endBlock();
      this.#items.pop();
    };
  }

  #quote(): () => void {
    this.#endBlock();
    this.#quotes++;
    return () => {
      this.#endBlock();
      this.#quotes--;
    };
  }

  #table(): () => void {
    this.#endBlock();
    this.#rows = [];
    return () => this.#write(this.#rows.join("\n"));
  }

  #tableRow(): () => void {
    this.#row = [];
    return () => {
      this.#rows.push(`| ${this.#row.join(" | ")} |`);
      if (this.#rows.length === 1) this.#rows.push(`|${this.#row.map(() => " --- |").join("")}`);
    };
  }

  #capture(use: (text: string) => void): () => void {
    this.#inline.push("");
    return () => {
      const text = this.#inline.pop() ?? "";
      if (/^\s/.test(text)) this.#append(" ");
      use(collapseWhiteSpace(text));
      if (/\s$/.test(text)) this.#append(" ");
    };
  }
}

const BLOCKS = new Set(
  "address article aside dd details div dl figcaption figure footer header p section summary tbody thead".split(" "),
);

function collapseWhiteSpace(text: string): string {
  return text
    .split("\\\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\\\n")
    .replace(/(\\\n)+$/, "");
}
