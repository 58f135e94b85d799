const name = 'weir-invitation';

/** The token of an invitation from the address, which is kept in this tab while its person logs in or signs up. */
export function readPendingInvitation(): string | undefined {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('invitation');
  if (token !== null && window.location.pathname === '/join') sessionStorage.setItem(name, token);
  return sessionStorage.getItem(name) ?? undefined;
}

export function forgetPendingInvitation(): void {
  sessionStorage.removeItem(name);
}
