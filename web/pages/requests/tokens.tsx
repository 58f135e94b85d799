import type { WholeCall } from '../../api/queries.ts';
import { count, exactUsd, usd } from '../../parts/format.ts';
import { unitTexts } from './unit-texts.ts';

/** In, read from the provider's cache, written to it, and out, as one bar, with what each cost. */
export function Tokens({ call }: { readonly call: WholeCall }) {
  const { cost_parts: cost } = call;
  const parts = [
    ['In', call.input_tokens, cost?.input_usd, 'fill-accent'],
    ['Cache read', call.cache_read_tokens, cost?.cache_read_usd, 'fill-saved'],
    ['Cache written', call.cache_write_tokens, cost?.cache_write_usd, 'fill-edge'],
    ['Out', call.output_tokens, cost?.output_usd, 'fill-muted'],
  ] as const;
  const all = parts.reduce((sum, [, tokens]) => sum + (tokens ?? 0), 0);
  const units = unitTexts(call.units);
  if (all === 0)
    return (
      <p className="text-sm text-muted">
        {units.length === 0 ? 'No token counts were reported.' : `Billed for ${units.join(', ')}.`}
      </p>
    );
  let at = 0;
  return (
    <div className="flex flex-col gap-2">
      <svg
        aria-hidden="true"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        className="h-2.5 w-full overflow-hidden rounded-sm"
      >
        {parts.map(([name, tokens, , className]) => {
          const width = (100 * (tokens ?? 0)) / all;
          const x = at;
          at += width;
          return <rect key={name} x={x} width={width} height="8" className={className} />;
        })}
      </svg>
      <ul className="flex flex-col gap-1 text-sm">
        {parts
          .filter(([, tokens]) => tokens !== null && tokens > 0)
          .map(([name, tokens, price, className]) => (
            <li key={name} className="grid grid-cols-[0.5rem_6.5rem_minmax(0,1fr)_auto] items-center gap-1.5">
              <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2">
                <rect width="8" height="8" rx="2" className={className} />
              </svg>
              <span className="text-muted">{name}</span>
              <span>{count(tokens)}</span>
              {price !== undefined && (
                <span title={`${exactUsd(price)}, ${perMillion(price, tokens)} a million tokens`}>
                  {usd(price)}
                </span>
              )}
            </li>
          ))}
      </ul>
      {Number(cost?.other_usd ?? 0) > 0 && (
        <p className="text-xs text-muted">{usd(cost?.other_usd)} for the request itself.</p>
      )}
      {units.length > 0 && <p className="text-xs text-muted">And {units.join(', ')}.</p>}
      {call.reasoning_tokens !== null && call.reasoning_tokens > 0 && (
        <p className="text-xs text-muted">{count(call.reasoning_tokens)} of those out were thinking.</p>
      )}
    </div>
  );
}

function perMillion(price: string, tokens: number | null): string {
  return usd((Number(price) * 1e6) / Math.max(1, tokens ?? 0));
}
