import type { Schemas } from '@/api/client';
import { ApiKeysCard } from '@/features/api-keys/components/api-keys-card';
import { UsageCard } from '@/features/api-keys/components/usage-card';
import { CompanySection } from '@/features/company/components/company-section';

type BusinessSectionsProps = { user: Schemas['User'] };

/** What the account page has for those on Business: the team, and keys for programs. */
export function BusinessSections({ user }: BusinessSectionsProps) {
  return (
    <>
      <CompanySection user={user} />
      <ApiKeysCard />
      <UsageCard />
    </>
  );
}
