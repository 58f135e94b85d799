import { useInfiniteQuery } from '@tanstack/react-query';
import { projects } from '../../api/queries.ts';
import { Field, Select } from '../../parts/controls.tsx';

interface ProjectFieldProps {
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** The project of a new key, where there are projects. */
export function ProjectField({ value, onChange }: ProjectFieldProps) {
  const { data } = useInfiniteQuery(projects('', 'false'));
  const listed = data?.pages.flatMap((page) => page.projects) ?? [];
  if (listed.length === 0) return null;
  return (
    <Field label="Project" hint="Whose calls and cost those of the key are.">
      {(field) => (
        <Select {...field} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">None: the organization itself</option>
          {listed.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
