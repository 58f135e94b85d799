const apiPath = /^\/(v1|v2|v1beta1?|upload|download|api|webhooks)(\/|$)/;

/** API paths never serve a page, and links from other sites must not open them. */
export function isApiPath(path: string): boolean {
  return apiPath.test(path);
}
