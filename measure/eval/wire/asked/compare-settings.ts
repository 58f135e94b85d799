import { isDeepStrictEqual } from 'node:util';
import type { RequestOutline } from './asked.ts';
import { outlineOf } from './outline.ts';
import type { Report } from './report.ts';

export function comparedSettings(
  { settings: asked, tools }: RequestOutline,
  provider: RequestOutline,
  report: Report,
): void {
  const got = provider.settings;
  if (asked.limit !== undefined && got.limit !== Math.max(asked.limit, least(got.limit)))
    report.lost('limit of the answer', [asked.limit, got.limit], 'max_tokens');
  report.same('stop sequences', asked.stop, got.stop, 'stop');
  for (const field of ['temperature', 'top_p', 'top_k'] as const)
    if (
      asked[field] !== undefined &&
      asked[field] !== got[field] &&
      !isUsual(field, asked[field], got[field])
    )
      report.lost(field, [asked[field], got[field]], field);
  const choice = asked.choice ?? 'auto';
  const areNone = choice === 'none' && provider.tools.length === 0;
  if (tools.length > 0 && !areNone && choice !== (got.choice ?? 'auto'))
    report.lost('choice of a tool', [choice, got.choice], 'tool_choice', 'tools');
  if (tools.length > 0 && asked.oneCallAtMost && !got.oneCallAtMost)
    report.lost('at most one call', asked.oneCallAtMost, 'parallel', 'tool_choice', 'tools');
  if (asked.thinking === 'on' && got.thinking !== 'on')
    report.lost('thinking that was asked for', got.thinking, 'thinking', 'effort');
  if (asked.thinking === 'off' && got.thinking === 'on')
    report.lost('thinking that was turned off', 'on', 'thinking', 'effort');
  if (!isDeepStrictEqual(outlineOf(asked.format), outlineOf(got.format)))
    report.lost(
      'format of the answer',
      [asked.format, got.format],
      'output_config.format',
      'response_format',
    );
  if (asked.user !== undefined && got.user === undefined)
    report.lost('name of the user', asked.user, 'user', 'metadata');
}

/** The Responses API takes no limit below this. */
function least(got: number | undefined): number {
  return got === 16 ? 16 : 0;
}

/** What is meant where nothing is said may be left out. */
function isUsual(field: string, asked: number, got: number | undefined): boolean {
  return field !== 'top_k' && asked === 1 && got === undefined;
}
