/** The shape of a few values, for beside a figure that says what they are. */
export function Sparkline({
  values,
  className = 'text-accent',
}: {
  readonly values: readonly number[];
  readonly className?: string;
}) {
  const most = Math.max(...values, 0);
  if (values.length < 2 || most === 0) return <svg aria-hidden="true" className="h-6 w-20" />;
  const width = 80;
  const step = width / values.length;
  return (
    <svg aria-hidden="true" viewBox={`0 0 ${width} 24`} className={`h-6 w-20 ${className}`}>
      {values.map((value, at) => {
        const height = value === 0 ? 1 : Math.max(2, (22 * value) / most);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a place in time
            key={at}
            x={at * step}
            y={24 - height}
            width={Math.max(0.8, step - 0.8)}
            height={height}
            fill="currentColor"
            opacity={value === 0 ? 0.25 : 0.85}
          />
        );
      })}
    </svg>
  );
}
