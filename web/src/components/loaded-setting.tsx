import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoadFailure } from '@/components/load-failure';
import { LoadingBlock } from '@/components/ui/skeleton';

type LoadedSettingProps<Setting> = {
  query: UseQueryResult<Setting | null>;
  children: (setting: Setting) => ReactNode;
};

/** What a card shows of a setting once it is there; before that, that it loads or why it does not. */
export function LoadedSetting<Setting>({ query, children }: LoadedSettingProps<Setting>) {
  if (query.isPending) {
    return <LoadingBlock label="Loading the settings" rows={2} rowClassName="h-10" />;
  }
  if (query.isLoadingError) {
    return (
      <LoadFailure what="This setting" error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  return query.data == null ? null : children(query.data);
}
