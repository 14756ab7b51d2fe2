import type { Schemas } from '@/api/client';
import { ApiKeysCard } from '@/features/accounts/api-keys/components/api-keys-card';
import { UsageCard } from '@/features/accounts/api-keys/components/usage-card';
import { CompanySection } from '@/features/plans/company/components/company-section';

type BusinessSectionsProps = { user: Schemas['User'] };

/**
 * What the account page has for those on Business: the team, and keys for programs. Who is in a company whose plan has
 * ended has the team, to leave it.
 */
export function BusinessSections({ user }: BusinessSectionsProps) {
  return (
    <>
      <CompanySection user={user} />
      {user.planType === 'business' && (
        <>
          <ApiKeysCard />
          <UsageCard />
        </>
      )}
    </>
  );
}
