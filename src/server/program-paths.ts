const forPrograms = /^\/(v1|v1beta1?|api|webhooks)(\/|$)/;

/** What programs call is never a page, and no page of another site may lead a browser there. */
export function isForPrograms(path: string): boolean {
  return forPrograms.test(path);
}
