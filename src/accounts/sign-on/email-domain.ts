import { domainToASCII } from 'node:url';

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** A domain in lower case, with ASCII letters; undefined if it is none that mail could go to. */
export function normalizeDomain(text: string): string | undefined {
  const domain = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  if (domain.length > 253) return undefined;
  const labels = domain.split('.');
  const last = labels.at(-1) ?? '';
  // A last label of digits would be an address.
  if (labels.length < 2 || /^\d+$/.test(last) || !labels.every((part) => label.test(part))) return undefined;
  return domain;
}

/** The domain of a mail address, as domains are stored. */
export function domainOf(email: string): string | undefined {
  return normalizeDomain(email.slice(email.lastIndexOf('@') + 1));
}
