import type { Schemas } from '@/api/client';
import { NextOilChanges } from '@/features/garage/oil-changes/components/next-oil-changes';
import { OilChangeForm } from '@/features/garage/oil-changes/components/oil-change-form';
import { OilChangeList } from '@/features/garage/oil-changes/components/oil-change-list';
import { oilChangeDraftKey } from '@/features/garage/oil-changes/model';
import { RecordPanel } from '@/features/garage/records/components/record-panel';
import { useHasDraft } from '@/hooks/use-draft';

type OilChangePanelProps = { vehicles: Schemas['Vehicle'][] };

export function OilChangePanel({ vehicles }: OilChangePanelProps) {
  const opens = useHasDraft(oilChangeDraftKey(null));
  return (
    <RecordPanel<Schemas['OilChange']>
      title="Oil Change History"
      addLabel="Add Oil Change"
      opens={opens}
      form={(opened) => <OilChangeForm vehicles={vehicles} opened={opened} />}
    >
      {(list) => (
        <>
          <NextOilChanges vehicles={vehicles} />
          <OilChangeList vehicles={vehicles} {...list} />
        </>
      )}
    </RecordPanel>
  );
}
