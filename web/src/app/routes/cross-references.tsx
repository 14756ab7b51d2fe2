import { hasShop } from '@/app/routes/shop/has-shop';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { Logbook } from '@/components/pictures';
import { CrossReferencesPanel } from '@/features/parts/cross-references/components/cross-references-panel';

/** Which part numbers mean one part, and which replace which. */
export function CrossReferencesRoute() {
  const mayChange = useMayChange();
  return (
    <SignedInPage
      title="Cross-References"
      about="Which numbers mean one part, and which replace which. Search, offers and the text read on parts follow them."
      label="Loading cross-references"
      signIn="Sign in to keep cross-references."
      picture={<Logbook />}
    >
      {(user) => <CrossReferencesPanel inPlan={hasShop(user)} mayChange={mayChange} />}
    </SignedInPage>
  );
}
