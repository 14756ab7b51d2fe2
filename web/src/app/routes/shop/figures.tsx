import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { itemsOf } from '@/api/page';
import { apiKeyQueries } from '@/features/accounts/api-keys/queries';
import { webhookQueries } from '@/features/events/webhooks/queries';
import { crossReferencesQuery } from '@/features/parts/cross-references/queries';
import { priceListsQuery } from '@/features/parts/price-lists/queries';
import { shopPartQueries } from '@/features/parts/shop-parts/queries';
import { companyQueries } from '@/features/plans/company/queries';
import { catalogQueries } from '@/features/teaching/taught-parts/queries';
import { countOf, formatCount } from '@/lib/format';

// Each asks what its tool asks anyway, so the tool is there at once when it is opened. While a figure is not there
// nothing stands in its place: the tool itself says what is wrong.

export function TaughtFigure() {
  const types = useQuery(catalogQueries.types());
  return types.data == null ? null : countOf(types.data.length, 'part');
}

export function ShopPartFigure() {
  const parts = useInfiniteQuery(shopPartQueries.list());
  const pages = parts.data?.pages;
  if (pages === undefined) return null;
  const count = itemsOf(pages).length;
  // The list comes in pieces, and nobody counts the rest.
  return parts.hasNextPage ? `over ${formatCount(count)} parts` : countOf(count, 'part');
}

export function PriceListFigure() {
  const lists = useQuery(priceListsQuery());
  if (lists.data == null) return null;
  return countOf(lists.data.filter(({ deletedAt }) => deletedAt === null).length, 'list');
}

export function CrossReferenceFigure() {
  const lists = useQuery(crossReferencesQuery());
  if (lists.data == null) return null;
  return countOf(lists.data.filter(({ deletedAt }) => deletedAt === null).length, 'list');
}

export function TeamFigure() {
  const company = useQuery(companyQueries.own());
  const members = useQuery({
    ...companyQueries.members(company.data?.id ?? ''),
    enabled: company.data != null,
  });
  if (company.data === null) return 'no company yet';
  if (members.data == null) return null;
  return countOf(members.data.filter(({ pending }) => !pending).length, 'person', 'people');
}

export function KeyFigure() {
  const keys = useQuery(apiKeyQueries.list());
  return keys.data == null ? null : countOf(keys.data.length, 'key');
}

export function WebhookFigure() {
  const webhooks = useQuery(webhookQueries.list());
  return webhooks.data == null ? null : countOf(webhooks.data.length, 'webhook');
}

export function UsageFigure() {
  const usage = useQuery(apiKeyQueries.usage());
  return usage.data == null ? null : countOf(usage.data.scans, 'scan');
}
