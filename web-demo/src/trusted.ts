// The part of Trusted Types that the page uses; not every browser has it.

export interface UrlPolicy {
  createScriptURL(url: string): unknown;
}

declare global {
  var trustedTypes: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): UrlPolicy } | undefined;
}
