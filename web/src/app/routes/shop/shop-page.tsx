import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { EmptyShelf } from '@/components/empty-shelf';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';

type ShopPageProps = {
  title: string;
  /** What it is for. */
  about: ReactNode;
  /** What a visitor reads: why to sign in. */
  signIn: string;
  children: (user: Schemas['User']) => ReactNode;
};

/** One tool of the shop: the way back, its heading, and what it shows to people with an account. */
export function ShopPage({ title, about, signIn, children }: ShopPageProps) {
  return (
    <div className="page grid max-w-3xl grid-cols-1 gap-5">
      <title>{`Partsight - ${title}`}</title>
      <BackToShop />
      <header>
        <h1 className="page-title">{title}</h1>
        <p className="mt-1 max-w-xl text-soft">{about}</p>
      </header>
      <SignedIn
        label="Loading your account"
        visitor={<SignInRequired picture={<EmptyShelf />}>{signIn}</SignInRequired>}
      >
        {children}
      </SignedIn>
    </div>
  );
}
