import { type RangeName, ranges } from '../api/queries.ts';
import { Choice } from './controls.tsx';

const labels: Readonly<Record<RangeName, string>> = {
  '1h': 'Hour',
  '24h': 'Day',
  '7d': 'Week',
  '30d': 'Month',
};

interface PeriodChoiceProps {
  readonly value: RangeName;
  readonly onChange: (range: RangeName) => void;
}

/** How far back a page looks. */
export function PeriodChoice({ value, onChange }: PeriodChoiceProps) {
  const options = (Object.keys(ranges) as RangeName[]).map((name) => [name, labels[name]] as const);
  return <Choice label="Period" value={value} options={options} onChange={onChange} />;
}
