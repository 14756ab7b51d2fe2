import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryState } from '@/components/query-state';

type LoadedSettingProps<Setting> = {
  query: UseQueryResult<Setting | null>;
  children: (setting: Setting) => ReactNode;
};

/** What a card shows of a setting once it is there; before that, that it loads or why it does not. */
export function LoadedSetting<Setting>({ query, children }: LoadedSettingProps<Setting>) {
  if (query.data === undefined) {
    return (
      <QueryState
        query={query}
        what="This setting"
        label="Loading the settings"
        rows={2}
        rowClassName="h-10"
      />
    );
  }
  return query.data == null ? null : children(query.data);
}
