import { isProgram, onPath } from './programs.ts';
import type { Requirement } from './requirement.ts';

/** Nothing to start: each test that needs a balancer has one of its own. */
export const haproxy: Requirement = {
  title: 'HAProxy',
  variable: 'HAPROXY_PATH',
  packageName: 'haproxy',
  find: () => onPath('haproxy') ?? ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find(isProgram),
  start: async (program) => ({ value: program, stop: async () => undefined }),
};
