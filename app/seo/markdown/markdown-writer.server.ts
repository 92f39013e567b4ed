/** Writes CommonMark with GFM's tables and strikethrough. Takes elements and text in document order. */
export class MarkdownWriter {
  #blocks = "";
  /** The text of the open block, then one entry for each open link, emphasis or cell. */
  #inline = [""];
  #lists: { ordered: boolean; items: number }[] = [];
  #items: { marker: string; started: boolean }[] = [];
  #quote = "";
  #row: string[] = [];
  #rows: string[] = [];

  text(text: string): void {
    this.#append(text.replace(/[\\`*_[\]<]/g, "\\$&"));
  }

  open(name: string, link: string | null): () => void {
    if (BLOCKS.has(name)) this.#endBlock();
    switch (name) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
        return this.#capture((text) => this.#heading(Number(name[1]), text));
      case "ul":
      case "ol":
        this.#lists.push({ ordered: name === "ol", items: 0 });
        return () => {
          this.#endBlock();
          this.#lists.pop();
        };
      case "li":
        this.#beginItem();
        return () => {
          this.#endBlock();
          this.#items.pop();
        };
      case "blockquote":
        this.#quote = "> ";
        return () => {
          this.#endBlock();
          this.#quote = "";
        };
      case "table":
        this.#rows = [];
        return () => this.#write(this.#rows.join("\n"));
      case "tr":
        this.#row = [];
        return () => this.#endRow();
      case "th":
      case "td":
        return this.#capture((text) => this.#row.push(text));
      case "a":
        return this.#capture((text) => this.#append(text && `[${text}](${link})`));
      case "strong":
        return this.#capture((text) => this.#append(text && `**${text}**`));
      case "del":
        return this.#capture((text) => this.#append(text && `~~${text}~~`));
      default:
        return () => BLOCKS.has(name) && this.#endBlock();
    }
  }

  lineBreak(): void {
    this.#append("\\\n");
  }

  toString(): string {
    this.#endBlock();
    return `${this.#blocks}\n`;
  }

  #append(text: string): void {
    this.#inline[this.#inline.length - 1] += text;
  }

  #endBlock(): void {
    if (this.#inline.length > 1) return;
    const text = collapseWhiteSpace(this.#inline[0] ?? "");
    this.#inline = [""];
    if (text) this.#write(text);
  }

  #write(block: string): void {
    const isFirst = this.#items.at(-1)?.started === false;
    const follows = isFirst && ((this.#lists.at(-1)?.items ?? 1) > 1 || this.#items.length > 1);
    const margin = this.#items.map(({ marker, started }) => (started ? " ".repeat(marker.length) : marker)).join("");
    for (const open of this.#items) open.started = true;
    const rest = " ".repeat(margin.length);
    const lines = block.split("\n").map((line, index) => `${this.#quote}${index ? rest : margin}${line}`);
    this.#blocks += `${this.#blocks && (follows ? "\n" : "\n\n")}${lines.join("\n")}`;
  }

  #beginItem(): void {
    const list = this.#lists.at(-1);
    const number = list ? ++list.items : 1;
    this.#items.push({ marker: list?.ordered ? `${number}. ` : "- ", started: false });
  }

  /** A heading in a list would break the outline, so it becomes a bold line. */
  #heading(level: number, text: string): void {
    this.#write(this.#items.length > 0 ? `**${text}**` : `${"#".repeat(level)} ${text}`);
  }

  #endRow(): void {
    this.#rows.push(`| ${this.#row.join(" | ")} |`);
    if (this.#rows.length === 1) this.#rows.push(`|${this.#row.map(() => " --- |").join("")}`);
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
  "address article aside blockquote details div figcaption figure footer h1 h2 h3 h4 header li ol p section summary table ul".split(
    " ",
  ),
);

function collapseWhiteSpace(text: string): string {
  return text
    .split("\\\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\\\n")
    .replace(/(\\\n)+$/, "");
}
