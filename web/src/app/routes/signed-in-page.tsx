import type { ComponentProps, ReactNode } from 'react';
import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { EmptyShelf } from '@/components/empty-shelf';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { classNames } from '@/lib/class-names';

type SignedInPageProps = Pick<ComponentProps<typeof SignedIn>, 'label' | 'children'> & {
  title: string;
  /** What it is for. */
  about?: ReactNode;
  /** The way back; unless it is given, that to the shop. */
  back?: ReactNode;
  /** Stands beside the heading. */
  action?: ReactNode;
  /** What a visitor reads: why to sign in. */
  signIn: string;
  /** What a visitor sees above that. */
  picture?: ReactNode;
  className?: string;
};

/** A screen for people with an account: the way back, its heading, and what it shows to them. */
export function SignedInPage({
  title,
  about,
  back = <BackToShop />,
  action,
  signIn,
  picture = <EmptyShelf />,
  className,
  ...content
}: SignedInPageProps) {
  return (
    <div className={classNames('page grid grid-cols-1 gap-5', className)}>
      <title>{`Partsight - ${title}`}</title>
      {back}
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h1 className="page-title">{title}</h1>
          {about !== undefined && <p className="mt-1 max-w-xl text-soft">{about}</p>}
        </div>
        {action}
      </header>
      <SignedIn
        visitor={<SignInRequired picture={picture}>{signIn}</SignInRequired>}
        {...content}
      />
    </div>
  );
}

/** One tool of the shop. */
export function ShopPage(props: Omit<SignedInPageProps, 'label'>) {
  return <SignedInPage label="Loading your account" className="max-w-3xl" {...props} />;
}
