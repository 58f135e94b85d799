const apiPath = /^\/(v1|v1beta1?|api|webhooks)(\/|$)/;

/** What programs call is never a page, and no page of another site may lead a browser there. */
export function isApiPath(path: string): boolean {
  return apiPath.test(path);
}
