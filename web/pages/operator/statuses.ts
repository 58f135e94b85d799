/** How the results of checks are shown, the worst last. */
export const statuses = {
  ok: { title: 'OK', tone: 'saved' },
  degraded: { title: 'Degraded', tone: 'refused' },
  failing: { title: 'Failing', tone: 'failed' },
} as const;
