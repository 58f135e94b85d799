import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { capabilities, organization } from '../api/queries.ts';

/** Whether the person may do something in the account. The gate reads the rights before it shows any page. */
export function useRights(): (right: string) => boolean {
  const { mode } = useSuspenseQuery(capabilities).data;
  const { data } = useQuery({ ...organization, enabled: mode === 'cloud' });
  return (right) => mode === 'local' || data?.rights.includes(right) === true;
}

interface AllowedProps {
  readonly right: string;
  readonly children: ReactNode;
}

/** Shows what needs a right to those who have it. */
export function Allowed({ right, children }: AllowedProps) {
  return useRights()(right) ? children : null;
}
