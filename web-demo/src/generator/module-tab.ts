// The module's source, and the files that it needs beside it.

import { codeBox } from "../code-box.js";
import { button, copy, download, fill, h } from "../dom.js";
import { bytes, plural } from "../numbers.js";
import type { File } from "./protocol.js";
import type { Current } from "./view.js";

export interface ModuleTab {
  readonly element: HTMLElement;
  show(current: Current): void;
}

export function moduleTab(): ModuleTab {
  const picker = h("select", { id: "file", "aria-label": "File" });
  const size = h("span", { class: "dim" });
  const box = codeBox("Source of the module");
  let files: File[] = [];
  let current: Current | undefined;

  const chosen = () => files[Number(picker.value)] ?? files[0];
  const name = () => (chosen()?.path ?? "module").split("/").at(-1) ?? "module";
  const copyButton = button("Copy", () => void copy(chosen()?.text ?? "", name()));
  const save = button("Download", () => download(name(), chosen()?.text ?? ""));
  picker.addEventListener("change", render);

  function render(): void {
    const file = chosen();
    if (!file || !current) return;
    size.textContent = `${bytes(file.bytes)}, ${plural(file.lines, "line")}`;
    box.show(file.text, current.language);
  }

  return {
    element: h("div", { class: "panel" }, h("div", { class: "row toolbar" }, picker, size, h("span", { class: "grow" }), copyButton, save), box.element),
    show(next) {
      current = next;
      files = next.result.files;
      fill(picker, ...files.map((file, index) => h("option", { value: index }, index === 0 ? file.path : `${file.path} (support)`)));
      picker.value = "0";
      render();
    },
  };
}
