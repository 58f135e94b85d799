import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Line } from './chart-lines.ts';
import { colorOf, colorOfLine, type Series } from './chart-series.ts';

interface Drawn {
  readonly series: readonly Series[];
  readonly lines: readonly Line[];
}

/** What each colour is. The name of a series leads to its calls, if it has some. */
export function Legend({ series, lines }: Drawn) {
  return (
    <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {series.map((one, index) => (
        <LegendEntry key={one.label} label={one.label} calls={one.calls}>
          <Swatch color={colorOf(one, index)} />
        </LegendEntry>
      ))}
      {lines.map((line) => (
        <LegendEntry key={line.label} label={line.label}>
          <Stroke line={line} />
        </LegendEntry>
      ))}
    </figcaption>
  );
}

interface ChartTableProps extends Drawn {
  readonly title: string;
  readonly spans: readonly string[];
  readonly format: (value: number) => string;
}

/** The same as a table, for those who can't see the chart. */
export function ChartTable({ title, spans, series, lines, format }: ChartTableProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {[...series, ...lines].map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {spans.map((span, row) => (
            <tr key={span}>
              <th scope="row">{span}</th>
              {series.map(({ label, values }) => (
                <td key={label}>{format(values[row] ?? 0)}</td>
              ))}
              {lines.map(({ label, values }) => (
                <td key={label}>{valueText(values[row], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LegendEntryProps {
  readonly label: string;
  readonly calls?: Series['calls'];
  /** The colour. */
  readonly children: ReactNode;
}

function LegendEntry({ label, calls, children }: LegendEntryProps) {
  const look = 'inline-flex min-h-6 max-w-full items-center gap-1.5';
  const entry = (
    <>
      {children}
      <span className="max-w-72 truncate" title={label}>
        {label}
      </span>
    </>
  );
  if (calls === undefined) return <span className={look}>{entry}</span>;
  return (
    <Link to="/requests" search={calls} className={`${look} hover:text-ink hover:underline`}>
      {entry}
    </Link>
  );
}

export function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? '–' : format(value);
}

export function Stroke({ line }: { readonly line: Line }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 14 8" className="h-2 w-3.5 shrink-0">
      <path
        d="M0 4h14"
        stroke={colorOfLine(line)}
        strokeWidth="1.5"
        strokeDasharray={line.isBefore === true ? '4 3' : undefined}
      />
    </svg>
  );
}

export function Swatch({ color }: { readonly color: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2 shrink-0">
      <rect width="8" height="8" rx="2" fill={color} />
    </svg>
  );
}
