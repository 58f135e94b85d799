import type { MinuteStatus } from '../../kernel/limit-status.ts';
import { systemClock } from '../../lib/clock.ts';
import type { HeaderList } from '../../lib/headers.ts';

/** Anthropic's rate limit headers (https://platform.claude.com/docs/en/api/rate-limits#response-headers). */
export function limitHeaders(name: string, { limit, remaining, resetSeconds }: MinuteStatus): HeaderList {
  const resetsAt = new Date(systemClock.now() + resetSeconds * 1000).toISOString();
  const header = `anthropic-ratelimit-${name}`;
  return [
    `${header}-limit`,
    String(limit),
    `${header}-remaining`,
    String(remaining),
    `${header}-reset`,
    `${resetsAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`,
  ];
}
