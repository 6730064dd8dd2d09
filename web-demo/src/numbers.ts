// Writes numbers as people read them.

/** Writes a size. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 2 : 1)} kB`;
  return `${(count / 1_000_000).toFixed(2)} MB`;
}

export function thousands(count: number): string {
  return count.toLocaleString("en").replaceAll(",", "\u202f");
}

/** Writes a word with its number. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}
