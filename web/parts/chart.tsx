import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { Line } from './chart-lines.ts';
import { axisTimesOf, spanOf } from './chart-times.ts';
import { useLook } from './theme.ts';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
  /** The colour of what it means; by default one of its own. */
  readonly tone?: 'accent' | 'saved' | 'refused' | 'failed' | 'muted' | undefined;
  /** Of several with the same tone: the first is the darkest. */
  readonly shade?: number | undefined;
}

interface ChartProps {
  readonly title: string;
  /** Seconds since 1970. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  /** Drawn over the areas. */
  readonly lines?: readonly Line[];
  readonly format: (value: number) => string;
  /** Of the axis, whose values are so far apart. */
  readonly axis: (value: number, step: number) => string;
  /** Whether there are no fractions. */
  readonly isWhole?: boolean;
  readonly height?: number;
  readonly onPick?: ((fromSeconds: number, toSeconds: number) => void) | undefined;
}

const palette = ['#2a9aa8', '#8296d4', '#d5a45c', '#93b97b', '#b487ad', '#87959c'];

function colorOfLine({ isBefore = false }: Line): string {
  return isBefore ? 'var(--color-muted)' : 'var(--color-refused)';
}

const shades = [100, 68, 44, 28, 18];

function colorOf({ tone, shade = 0 }: Series, index: number): string {
  if (tone === undefined) return palette[index % palette.length] ?? '';
  const share = shades[Math.min(shade, shades.length - 1)];
  return `color-mix(in srgb, var(--color-${tone}) ${share}%, var(--color-surface))`;
}

/** Where somebody points: which span, and how far from the left that is. */
interface PointerPosition {
  readonly row: number;
  readonly left: number;
  readonly isBeyondMiddle: boolean;
}

/** Areas on top of each other over time. A table says the same to those who can't see it. */
export function StackedChart(props: ChartProps) {
  const {
    title,
    at,
    series: all,
    lines: allLines,
    format,
    axis,
    isWhole = false,
    height = 200,
    onPick,
  } = props;
  const series = useMemo(() => presentIn(all), [all]);
  const lines = useMemo(
    () => (allLines ?? []).filter(({ values }) => values.some((value) => value)),
    [allLines],
  );
  const [pointed, setPointed] = useState<PointerPosition>();
  const box = useRef<HTMLDivElement>(null);
  const look = useLook();
  const pick = useRef(onPick);
  pick.current = onPick;
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew when the look changes
  useEffect(() => {
    const host = box.current;
    if (host === null || at.length === 0) return;
    const style = getComputedStyle(host);
    const [muted, line] = [style.getPropertyValue('--axis'), style.getPropertyValue('--grid')].map((value) =>
      resolved(host, value),
    );
    const stacked = stack(series);
    const step = stepOf(at);
    const plot = new uPlot(
      {
        // The sums of days are those of UTC.
        ...(step >= daySeconds && {
          tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        }),
        width: host.clientWidth,
        height,
        padding: [8, 16, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
        hooks: {
          setCursor: [
            ({ cursor: { idx, left = -1 }, over }) => {
              const isOn = left >= 0 && typeof idx === 'number';
              const from = over.offsetLeft + left;
              setPointed(
                isOn ? { row: idx, left: from, isBeyondMiddle: left > over.clientWidth / 2 } : undefined,
              );
            },
          ],
          ready: [
            ({ over, cursor }) =>
              over.addEventListener('click', () => {
                const from = typeof cursor.idx === 'number' ? at[cursor.idx] : undefined;
                if (from !== undefined) pick.current?.(from, from + step);
              }),
          ],
          setSelect: [
            (self) => {
              const { left, width } = self.select;
              if (width > 4) pick.current?.(self.posToVal(left, 'x'), self.posToVal(left + width, 'x'));
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
        scales: {
          x: { time: true, range: (_, first, last) => [first - step / 2, last + step / 2] },
          y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
        },
        axes: [
          {
            space: 70,
            stroke: muted ?? '',
            grid: { show: false },
            ticks: { show: false },
            font: '11px Inter',
            size: 30,
            values: (_, ticks) => axisTimesOf(ticks, step),
          },
          {
            stroke: muted ?? '',
            grid: { stroke: line ?? '', width: 1 },
            ticks: { show: false },
            font: '11px Inter',
            size: (_, values) =>
              Math.max(48, 14 + 6.5 * Math.max(0, ...(values ?? []).map(({ length }) => length))),
            values: (_, values) => values.map((value) => axis(value, (values[1] ?? 1) - (values[0] ?? 0))),
            ...(isWhole && { incrs: wholeIncrements }),
          },
        ],
        series: [
          {},
          ...series.map((one, index) => ({
            label: one.label,
            fill: resolved(host, colorOf(one, index)),
            stroke: resolved(host, colorOf(one, index)),
            width: 0,
            points: { show: false },
            ...(uPlot.paths.bars !== undefined && { paths: uPlot.paths.bars({ size: [0.8, 40] }) }),
          })),
          ...lines.map((line) => ({
            label: line.label,
            stroke: resolved(host, colorOfLine(line)),
            width: 1.5,
            points: { show: false },
            ...(line.isBefore === true && { dash: [4, 4] }),
          })),
        ],
      },
      [[...at], ...stacked, ...lines.map(({ values }) => [...values])],
      host,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [at, series, lines, axis, isWhole, height, look]);
  return (
    <figure className="relative m-0 flex flex-col gap-2">
      <div
        ref={box}
        aria-hidden="true"
        className="w-full [--axis:var(--color-muted)] [--grid:var(--color-line)]"
        data-chart={title}
        style={{ minHeight: height }}
      />
      {pointed !== undefined && (
        <Readout
          pointed={pointed}
          span={spanOf(at[pointed.row] ?? 0, stepOf(at))}
          series={series}
          lines={lines}
          format={format}
        />
      )}
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {series.map((one, index) => (
          <LegendEntry key={one.label} label={one.label}>
            <Swatch color={colorOf(one, index)} />
          </LegendEntry>
        ))}
        {lines.map((line) => (
          <LegendEntry key={line.label} label={line.label}>
            <Stroke line={line} />
          </LegendEntry>
        ))}
      </figcaption>
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
            {at.map((seconds, row) => (
              <tr key={seconds}>
                <th scope="row">{spanOf(seconds, stepOf(at))}</th>
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
    </figure>
  );
}

interface ReadoutProps extends Pick<ChartProps, 'series' | 'format'> {
  readonly lines: readonly Line[];
  readonly pointed: PointerPosition;
  readonly span: string;
}

/** What the span under the pointer has, in figures. */
function Readout({ pointed: { row, left, isBeyondMiddle }, span, series, lines, format }: ReadoutProps) {
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

function LegendEntry({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5">
      {children}
      <span className="max-w-72 truncate" title={label}>
        {label}
      </span>
    </span>
  );
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? '–' : format(value);
}

function Stroke({ line }: { readonly line: Line }) {
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

function Swatch({ color }: { readonly color: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2 shrink-0">
      <rect width="8" height="8" rx="2" fill={color} />
    </svg>
  );
}

/** Without those that are empty, unless all are. */
function presentIn(series: readonly Series[]): readonly Series[] {
  const present = series.filter(({ values }) => values.some((value) => value > 0));
  return present.length === 0 ? series.slice(0, 1) : present;
}

const wholeIncrements = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

/** The first is drawn behind all others, so each value is the sum of its own and those after it. */
function stack(series: readonly Series[]): number[][] {
  const sums: number[] = [];
  return series
    .toReversed()
    .map(({ values }) =>
      values.map((value, at) => {
        sums[at] = (sums[at] ?? 0) + value;
        return sums[at] ?? 0;
      }),
    )
    .toReversed();
}

const daySeconds = 86_400;

function stepOf(at: readonly number[]): number {
  return (at[1] ?? 0) - (at[0] ?? 0);
}

/** A colour as a canvas understands it. */
function resolved(host: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
