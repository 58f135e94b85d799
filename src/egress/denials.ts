import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Permissions whose denials say that code in this process wanted out. */
const scopes = ['net', 'child', 'worker', 'addon', 'ffi', 'inspector'] as const;

/** Reports what the permission model of Node.js denies to code in this process. Returns what ends that. */
export function watchDenials(onDenied: (scope: string, resource: string) => void): () => void {
  const ends = scopes.map((scope) => {
    const channel = `node:permission-model:${scope}`;
    const report = (message: unknown) => {
      const { drop, resource }: Record<string, unknown> = { ...Object(message) };
      // Giving up a permission is no denial.
      if (drop !== true) onDenied(scope, String(resource ?? '').slice(0, 200));
    };
    subscribe(channel, report);
    return () => unsubscribe(channel, report);
  });
  return () => {
    for (const end of ends) end();
  };
}
