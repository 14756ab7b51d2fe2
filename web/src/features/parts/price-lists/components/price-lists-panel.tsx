import { useQuery } from '@tanstack/react-query';
import { ListsPanel } from '@/features/parts/list-upload/components/lists-panel';
import { UploadDialog } from '@/features/parts/price-lists/components/upload-dialog';
import { UPLOAD_DRAFT } from '@/features/parts/price-lists/model';
import { priceListMutations } from '@/features/parts/price-lists/mutations';
import { priceListsQuery } from '@/features/parts/price-lists/queries';
import { countOf } from '@/lib/format';

type PriceListsPanelProps = {
  /** Whether the plan includes uploads. */
  inPlan: boolean;
  /** Whether the viewer may change what the shop shares; undefined until that is known. */
  mayChange: boolean | undefined;
};

export function PriceListsPanel({ inPlan, mayChange }: PriceListsPanelProps) {
  return (
    <ListsPanel
      inPlan={inPlan}
      mayChange={mayChange}
      offer="With Business you upload the price lists of your suppliers."
      what="Price lists"
      lists={useQuery(priceListsQuery())}
      advice="Upload what your suppliers send you. Their prices then stand beside the others."
      facts={({ supplier, name, rows, currency }) => (
        <>
          {supplier !== name && <span className="wrap-anywhere text-soft">{supplier}</span>}
          <span>{countOf(rows, 'price')}</span>
          {/* A list does not tell which currencies its rows name. */}
          <span>{currency} where a row names none</span>
        </>
      )}
      question="Delete this price list?"
      consequence={({ name, rows }) =>
        `The ${countOf(rows, 'price')} of ${name} are no longer shown.`
      }
      mutations={priceListMutations}
      draftKey={UPLOAD_DRAFT}
      dialog={(onClose) => <UploadDialog onClose={onClose} />}
    />
  );
}
