import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '@/api/settings';
import { Notice } from '@/components/ui/notice';
import { AskByVin, RecallList } from '@/components/recall-list';
import { partRecallQueries } from '@/features/parts/recalls/queries';
import { countOf, formatDate, vehicleName } from '@/lib/format';

type PartRecallsProps = { partId: string; vehicleId: string };

/**
 * Recalls of the vehicle that name the part. Where there are none, where nobody is asked and where the service is away,
 * nothing stands here: the vehicle's page says which.
 */
export function PartRecalls({ partId, vehicleId }: PartRecallsProps) {
  const settings = useQuery(settingsQuery());
  const found = useQuery({
    ...partRecallQueries.ofPart(partId, vehicleId),
    enabled: settings.data?.recalls === true,
  });
  if (found.data == null || found.data.recalls.length === 0) return null;
  const { recalls, askedFor, fetchedAt, state } = found.data;
  const name = vehicleName(askedFor);
  return (
    <Notice
      tone="warn"
      title={`${countOf(recalls.length, 'recall')} of the ${name} ${recalls.length === 1 ? 'names' : 'name'} this part`}
    >
      <div className="mt-2 grid gap-3">
        <p>
          Ask a dealer before you buy it: the repair under a recall is free.
          {state !== 'current' && ` As listed on ${formatDate(fetchedAt)}.`}
        </p>
        <RecallList recalls={recalls} label="Recalls that name this part" />
        <AskByVin />
      </div>
    </Notice>
  );
}
