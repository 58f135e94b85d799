import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { Line } from './chart-lines.ts';
import { type PointerPosition, Readout } from './chart-readout.tsx';
import { colorOf, colorOfLine, presentIn, type Series, stack } from './chart-series.ts';
import { ChartTable, Legend } from './chart-text.tsx';
import { axisTimesOf, spanOf } from './chart-times.ts';
import { useLook } from './theme.ts';

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
  /** Where the axis ends; by default above the highest value. */
  readonly most?: number;
  /** Whether there are no fractions. */
  readonly isWhole?: boolean;
  readonly height?: number;
  readonly onPick?: ((fromSeconds: number, toSeconds: number) => void) | undefined;
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
    most,
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
          y: { range: (_, __, highest) => [0, most ?? (highest > 0 ? highest * 1.1 : 1)] },
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
  }, [at, series, lines, axis, most, isWhole, height, look]);
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
      <Legend series={series} lines={lines} />
      <ChartTable
        title={title}
        spans={at.map((seconds) => spanOf(seconds, stepOf(at)))}
        series={series}
        lines={lines}
        format={format}
      />
    </figure>
  );
}

const wholeIncrements = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

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
