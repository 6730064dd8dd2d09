// What a tool answered, parsed once and only where somebody looks.

import type { CallToolResult, ContentBlock } from "selvedge";

/** What a tool answered. */
export class ToolAnswer {
  constructor(
    /** The result as the engine tells it. */
    readonly result: CallToolResult,
  ) {}

  /** The result as the server wrote it, to the digit. */
  get raw(): string {
    return this.result.raw;
  }

  /** The content blocks in their order. */
  get content(): readonly ContentBlock[] {
    const content: unknown = this.result.content;
    return Array.isArray(content) ? content : [];
  }

  /** The text blocks, joined by line feeds. */
  get text(): string {
    const texts = this.content.map((block) => (block?.type === "text" ? block.text : undefined));
    return texts.filter((text) => typeof text === "string").join("\n");
  }

  /** The structured result; absent where the tool sent none. Numbers are JavaScript's: `raw` has them exactly. */
  get structuredContent(): unknown {
    return this.result.structuredContent;
  }
}
