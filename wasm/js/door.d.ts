// What the harness uses of `door.js`.

/** Refuses what is no object of options, and options that do not exist. */
export function known<T>(value: T, name: string, shape: Record<string, string>): T & object;

/** Makes the error of a parameter that is not what it must be. */
export function must(name: string, what: string, value: unknown): Error;

/** Looks at a string. */
export function string(value: unknown, name: string): string;

/** Writes an object as JSON; a string is the text of one. */
export function object(value: unknown, name: string): string;
