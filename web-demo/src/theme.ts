// Light or dark: what the system says, until the person says otherwise. That is all the page remembers.

const KEY = "selvedge-theme";

export function themes(button: HTMLElement): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (stored() ?? (system.matches ? "dark" : "light")) === "dark";

  function apply(): void {
    document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
    button.setAttribute("aria-pressed", String(isDark()));
  }

  button.addEventListener("click", () => {
    store(isDark() ? "light" : "dark");
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

// A browser may forbid the page to remember anything.
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    document.documentElement.dataset["theme"] = theme;
  }
}
