import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useRef, useState } from 'react';
import { keys, members, projectChoices } from '../../api/queries.ts';
import { CheckList } from '../../parts/check-list.tsx';
import { roleTexts } from '../organization/roles.ts';

interface ChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

export function RoleChoice(props: ChoiceProps) {
  return <CheckList label="Roles" options={Object.keys(roleTexts).map((name) => [name, name])} {...props} />;
}

export function KeyChoice({ chosen, onChange }: ChoiceProps) {
  const { data } = useQuery(keys);
  const options = (data?.keys ?? []).flatMap(({ id, name, prefix, revokedAt }) =>
    revokedAt === null || chosen.includes(id) ? [[id, name === '' ? prefix : name] as const] : [],
  );
  return <CheckList label="API keys" options={options} chosen={chosen} onChange={onChange} />;
}

/** The gateway searches, since an organization may have thousands of members. */
export function PeopleChoice({ chosen, onChange }: ChoiceProps) {
  const [search, setSearch] = useState('');
  const { data } = useInfiniteQuery(members(useDeferredValue(search.trim())));
  // Also those whom another search has found.
  const emails = useRef(new Map<string, string>());
  const found = data?.pages.flatMap((page) => page.members) ?? [];
  for (const { id, email } of found) emails.current.set(id, email);
  const ids = new Set([...found.map(({ id }) => id), ...chosen]);
  return (
    <CheckList
      label="People"
      options={[...ids].map((id) => [id, emails.current.get(id) ?? id])}
      chosen={chosen}
      onChange={onChange}
      {...((search !== '' || (data?.pages[0]?.total ?? 0) > found.length) && {
        search,
        onSearch: setSearch,
      })}
    />
  );
}

export function ProjectChoice(props: ChoiceProps) {
  const { data } = useQuery(projectChoices);
  return (
    <CheckList
      label="Projects"
      hint="Only API keys of these projects see the server. Without any, all do."
      options={(data?.projects ?? []).map(({ id, name }) => [id, name])}
      {...props}
    />
  );
}
