import type { Line } from './chart-lines.ts';
import { colorOf, type Series } from './chart-series.ts';
import { Stroke, Swatch, valueText } from './chart-text.tsx';

/** Where somebody points: which span, and how far from the left that is. */
export interface PointerPosition {
  readonly row: number;
  readonly left: number;
  readonly isBeyondMiddle: boolean;
}

interface ReadoutProps {
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly lines: readonly Line[];
  readonly pointed: PointerPosition;
  readonly span: string;
}

/** What the span under the pointer has, in figures. */
export function Readout({
  pointed: { row, left, isBeyondMiddle },
  span,
  series,
  lines,
  format,
}: ReadoutProps) {
  const said = series
    .map((one, index) => ({ label: one.label, value: one.values[row] ?? 0, color: colorOf(one, index) }))
    .filter(({ value }) => value > 0);
  const sum = said.reduce((total, { value }) => total + value, 0);
  return (
    <div
      aria-hidden="true"
      className={`pointer-events-none absolute top-2 z-10 flex max-w-64 flex-col gap-0.5 rounded-md border border-line bg-surface px-2.5 py-1.5 text-xs shadow-md ${isBeyondMiddle ? '-translate-x-[calc(100%+0.75rem)]' : 'translate-x-3'}`}
      style={{ left }}
    >
      <span className="text-muted">{span}</span>
      {said.map(({ label, value, color }) => (
        <span key={label} className="flex items-center gap-1.5">
          <Swatch color={color} />
          <span className="min-w-0 grow truncate">{label}</span>
          <span className="pl-2 whitespace-nowrap">{format(value)}</span>
        </span>
      ))}
      {said.length === 0 && <span>–</span>}
      {said.length > 1 && (
        <span className="text-right font-medium whitespace-nowrap">{format(sum)} total</span>
      )}
      {lines.map((line) => (
        <span key={line.label} className="flex items-center gap-1.5">
          <Stroke line={line} />
          <span className="min-w-0 grow truncate">{line.label}</span>
          <span className="pl-2 whitespace-nowrap">{valueText(line.values[row], format)}</span>
        </span>
      ))}
    </div>
  );
}
