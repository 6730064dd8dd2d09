// What a tool answered, parsed once and only where somebody looks.

import type { CallToolResult } from "selvedge";

/** A content block as the server sent it. */
export interface ContentBlock {
  type: string;
  text?: string;
  [member: string]: unknown;
}

interface Parsed {
  content?: unknown;
  structuredContent?: unknown;
}

/** What a tool answered. */
export class ToolAnswer {
  #parsed: Parsed | undefined;

  constructor(readonly result: CallToolResult) {}

  /** The result as the server wrote it, to the digit. */
  get raw(): string {
    return this.result.raw;
  }

  /** The content blocks in their order. */
  get content(): readonly ContentBlock[] {
    const { content } = this.#parse();
    return Array.isArray(content) ? (content as ContentBlock[]) : [];
  }

  /** The text blocks, joined by line feeds. */
  get text(): string {
    const texts = this.content.map((block) => (block?.type === "text" ? block.text : undefined));
    return texts.filter((text) => typeof text === "string").join("\n");
  }

  /** The structured result; absent where the tool sent none. Numbers are JavaScript's: `raw` has them exactly. */
  get structuredContent(): unknown {
    return this.#parse().structuredContent;
  }

  #parse(): Parsed {
    return (this.#parsed ??= JSON.parse(this.result.raw) as Parsed);
  }
}
