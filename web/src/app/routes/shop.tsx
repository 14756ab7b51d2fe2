import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router';
import { hasShop } from '@/app/routes/shop/has-shop';
import { SHOP_TOOLS, type ShopTool } from '@/app/routes/shop/tools';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { paths } from '@/config/paths';
import { apiKeyQueries } from '@/features/accounts/api-keys/queries';
import { webhookQueries } from '@/features/events/webhooks/queries';

/** The shop's home: all its tools, each one tap away. */
export function ShopRoute() {
  return (
    <SignedInPage
      title="Shop"
      about="Everything that your shop works with, in one place."
      back={null}
      label="Loading your shop"
      signIn="Sign in to open your shop."
    >
      {(user) => (hasShop(user) ? <Tools /> : <NoShop />)}
    </SignedInPage>
  );
}

function Tools() {
  return (
    <nav aria-label="Tools of your shop">
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2 sm:gap-3 lg:grid-cols-3">
        {SHOP_TOOLS.map((tool) => (
          <li key={tool.to}>
            <Tool tool={tool} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

type ToolProps = { tool: ShopTool };

function Tool({ tool: { to, title, text, Icon, Figure } }: ToolProps) {
  return (
    <Link
      to={to}
      className="flex h-full items-center gap-3 rounded-lg border bg-surface p-3.5 transition-colors hover:border-control hover:bg-raised sm:items-start sm:p-4"
    >
      <span className="grid size-10 shrink-0 place-items-center rounded-full bg-accent-wash text-accent">
        <Icon className="size-5" aria-hidden />
      </span>
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="min-w-0 font-semibold wrap-anywhere">{title}</span>
          {Figure !== undefined && (
            <span className="text-sm text-soft tabular-nums empty:hidden">
              <Figure />
            </span>
          )}
        </span>
        <span className="text-sm text-muted">{text}</span>
      </span>
      <ChevronRight className="size-4 shrink-0 self-center text-muted" aria-hidden />
    </Link>
  );
}

/** Of the tools these are there on every plan. */
const FOR_ALL = [
  [paths.catalog, 'Taught Parts'],
  [paths.shopParts, 'Shop Parts'],
  [paths.bench, 'Bench'],
  [paths.batches, 'Batches'],
  [paths.shopAccuracy, 'Accuracy'],
] as const;

function NoShop() {
  const keys = useQuery(apiKeyQueries.list());
  const webhooks = useQuery(webhookQueries.list());
  const kept: [string, string][] = [];
  // Those of a plan that has ended, for whoever wants to end them as well.
  if (keys.data?.length) kept.push([paths.shopApiKeys, 'API Keys']);
  if (webhooks.data?.length) kept.push([paths.shopWebhooks, 'Webhooks']);
  return (
    <Card>
      <EmptyState
        picture={<EmptyShelf />}
        title="A shop comes with Business"
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Button asChild look="primary">
              <Link to={paths.pricing}>See Plans</Link>
            </Button>
            {[...FOR_ALL, ...kept].map(([to, label]) => (
              <Button key={to} asChild>
                <Link to={to}>{label}</Link>
              </Button>
            ))}
          </div>
        }
      >
        With it come price lists, a team, API keys and usage. What you have without it is here too.
      </EmptyState>
    </Card>
  );
}
