import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { hasShop } from '@/app/routes/shop/has-shop';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { CrossReferencesPanel } from '@/features/parts/cross-references/components/cross-references-panel';

/** Which part numbers mean one part, and which replace which. */
export function CrossReferencesRoute() {
  const mayChange = useMayChange();
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Cross-References</title>
      <BackToShop />
      <header>
        <h1 className="page-title">Cross-References</h1>
        <p className="mt-1 max-w-xl text-soft">
          Which numbers mean one part, and which replace which. Search, offers and the text read on
          parts follow them.
        </p>
      </header>
      <SignedIn
        label="Loading cross-references"
        visitor={
          <SignInRequired picture={<Logbook />}>Sign in to keep cross-references.</SignInRequired>
        }
      >
        {(user) => <CrossReferencesPanel inPlan={hasShop(user)} mayChange={mayChange} />}
      </SignedIn>
    </div>
  );
}
