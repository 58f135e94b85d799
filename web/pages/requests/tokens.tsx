import type { LoggedCall } from '../../api/queries.ts';
import { count } from '../../parts/format.ts';

/** In, read from the provider's cache, written to it, and out, as one bar. */
export function Tokens({ call }: { readonly call: LoggedCall }) {
  const parts = [
    ['In', call.input_tokens, 'fill-accent'],
    ['Cache read', call.cache_read_tokens, 'fill-saved'],
    ['Cache written', call.cache_write_tokens, 'fill-edge'],
    ['Out', call.output_tokens, 'fill-muted'],
  ] as const;
  const all = parts.reduce((sum, [, tokens]) => sum + (tokens ?? 0), 0);
  if (all === 0) return <p className="text-sm text-muted">Nobody told of any.</p>;
  let at = 0;
  return (
    <div className="flex flex-col gap-2">
      <svg
        aria-hidden="true"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="h-2.5 w-full overflow-hidden rounded-sm"
      >
        {parts.map(([name, tokens, className]) => {
          const width = (100 * (tokens ?? 0)) / all;
          const x = at;
          at += width;
          return <rect key={name} x={x} width={width} height="8" className={className} />;
        })}
      </svg>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {parts
          .filter(([, tokens]) => tokens !== null && tokens > 0)
          .map(([name, tokens, className]) => (
            <li key={name} className="flex items-center gap-1.5">
              <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2">
                <rect width="8" height="8" rx="2" className={className} />
              </svg>
              <span className="text-muted">{name}</span> {count(tokens)}
            </li>
          ))}
      </ul>
      {call.reasoning_tokens !== null && call.reasoning_tokens > 0 && (
        <p className="text-xs text-muted">{count(call.reasoning_tokens)} of those out were thinking.</p>
      )}
    </div>
  );
}
