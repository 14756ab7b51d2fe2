import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { partQuery } from '@/features/scanning/result/part-query';
import { namedBy, readingQuery } from '@/features/scanning/result/reading-queries';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { retailerSearchHref, webSearchHref } from '@/lib/links';

type WhereToBuyTabProps = { view: ScanView };

export function WhereToBuyTab({ view }: WhereToBuyTabProps) {
  const { priceRange, recommendedSuppliers, searchTips, commonIssues } =
    view.identification.purchaseRecommendations;
  const { data: reading } = useQuery(readingQuery(view.id));
  const query = partQuery(view, namedBy(reading));
  return (
    <div className="grid gap-5">
      <div className="rounded-md bg-accent-wash p-3.5">
        <p className="text-sm text-soft">Expected price range</p>
        <p className="text-xl font-semibold">{priceRange || 'Price varies'}</p>
      </div>
      {recommendedSuppliers.length > 0 && (
        <section className="grid gap-2">
          <h4 className="section-title">Recommended suppliers</h4>
          <div className="flex flex-wrap gap-2">
            {recommendedSuppliers.map((name) => (
              <Button key={name} asChild size="small">
                <a href={retailerSearchHref(name, query)} target="_blank" rel="noopener noreferrer">
                  {name}
                </a>
              </Button>
            ))}
          </div>
        </section>
      )}
      <Advice title="Shopping tips" lines={searchTips} />
      <Advice title="Important notes" lines={commonIssues} />
      <Button asChild look="primary">
        <a href={webSearchHref(`buy ${query}`)} target="_blank" rel="noopener noreferrer">
          <Search className="size-4" aria-hidden />
          Search All Suppliers
        </a>
      </Button>
    </div>
  );
}

type AdviceProps = { title: string; lines: string[] };

function Advice({ title, lines }: AdviceProps) {
  if (lines.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h4 className="section-title">{title}</h4>
      <ul className="grid list-disc gap-1.5 pl-5 text-sm text-soft marker:text-muted">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
