import { useQuery } from '@tanstack/react-query';
import { Store } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { endsWithAccount } from '@/app/routes/profile/ends-with-account';
import { SignOutButton } from '@/app/routes/profile/sign-out-button';
import { hasShop } from '@/app/routes/shop/has-shop';
import { HelpLine } from '@/components/help-line';
import { Button } from '@/components/ui/button';
import { LoadingBlock } from '@/components/ui/skeleton';
import { ZeroEgressNotice } from '@/components/zero-egress-notice';
import { paths } from '@/config/paths';
import { AccountCard } from '@/features/accounts/auth/components/account-card';
import { DataCard } from '@/features/accounts/auth/components/data-card';
import { NamesCard } from '@/features/accounts/auth/components/names-card';
import { PasswordCard } from '@/features/accounts/auth/components/password-card';
import { SessionsCard } from '@/features/accounts/auth/components/sessions-card';
import { VerificationNotice } from '@/features/accounts/auth/components/verification-notice';
import { ReminderMailsCard } from '@/features/garage/reminder-mails/components/reminder-mails-card';
import { ResetScansButton } from '@/features/plans/subscription/components/reset-scans-button';
import { forgetList } from '@/features/bench/list/store';
import { removeAllWaiting } from '@/features/scanning/offline-queue/store';
import { OwnInvitations } from '@/features/plans/company/components/own-invitations';
import { companyQueries } from '@/features/plans/company/queries';
import { ScansRemaining } from '@/features/plans/subscription/components/scans-remaining';
import { subscriptionQueries } from '@/features/plans/subscription/queries';

// Most accounts are neither on Business nor in a company whose plan has ended, and never need it.
const CompanySection = lazy(async () => ({
  default: (await import('@/features/plans/company/components/company-section')).CompanySection,
}));

type AccountScreenProps = {
  user: Schemas['User'];
  /** Whether a mailed invitation is shown above, which is one of their own. */
  isAnswering?: boolean;
};

/** Who one is, the plan, the company, the security, and one's data. What a shop works with is on `paths.shop`. */
export function AccountScreen({ user, isAnswering = false }: AccountScreenProps) {
  const company = useQuery(companyQueries.own());
  const status = useQuery(subscriptionQueries.status());
  return (
    <div className="mx-auto grid w-full max-w-2xl grid-cols-1 gap-5">
      <VerificationNotice user={user} />
      {!isAnswering && <OwnInvitations />}
      <AccountCard
        user={user}
        scansRemaining={<ScansRemaining />}
        actions={<Actions user={user} />}
      />
      {(hasShop(user) || company.data != null) && (
        <Suspense fallback={<LoadingBlock label="Loading your company" rowClassName="h-32" />}>
          <CompanySection user={user} />
        </Suspense>
      )}
      <NamesCard user={user} />
      <ReminderMailsCard />
      <PasswordCard user={user} />
      <SessionsCard />
      <DataCard
        user={user}
        alsoEnds={endsWithAccount(user.id, company.data, status.data)}
        onDeleted={() => {
          // They could never be sent, nor seen by anybody.
          removeAllWaiting(user.id).catch(() => undefined);
          forgetList(user.id);
        }}
      />
      <div className="flex justify-center text-sm text-muted empty:hidden">
        <ZeroEgressNotice />
      </div>
      <HelpLine />
    </div>
  );
}

const PLAN_LINKS = [
  [paths.manageSubscription, 'Manage Subscription'],
  [paths.pricing, 'View Plans'],
] as const;

/** Without a shop these have no other home. */
const TOOL_LINKS = [
  [paths.catalog, 'Taught Parts'],
  [paths.shopParts, 'Shop Parts'],
  [paths.priceLists, 'Price Lists'],
  [paths.crossReferences, 'Cross-References'],
  [paths.bench, 'Bench'],
  [paths.batches, 'Batches'],
  [paths.shopAccuracy, 'Accuracy'],
] as const;

const HELP_LINKS = [
  [paths.contact, 'Contact Support'],
  [paths.privacy, 'Privacy Policy'],
  [paths.terms, 'Terms of Service'],
] as const;

function Actions({ user }: Pick<AccountScreenProps, 'user'>) {
  const links = [...PLAN_LINKS, ...(hasShop(user) ? [] : TOOL_LINKS), ...HELP_LINKS];
  return (
    <>
      {hasShop(user) && (
        <Button asChild look="primary" className="col-span-full">
          <Link to={paths.shop}>
            <Store className="size-4" aria-hidden />
            Your Shop
          </Link>
        </Button>
      )}
      {links.map(([to, label]) => (
        <Button key={to} asChild className="px-2 text-center">
          <Link to={to}>{label}</Link>
        </Button>
      ))}
      <ResetScansButton planType={user.planType} />
      <SignOutButton userId={user.id} />
    </>
  );
}
