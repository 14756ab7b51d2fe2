import { Download } from 'lucide-react';
import { hasShop } from '@/app/routes/shop/has-shop';
import { InBusiness } from '@/components/in-business';
import { ShopPage } from '@/app/routes/signed-in-page';
import { TextLink } from '@/components/text-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { paths, serverPaths } from '@/config/paths';

const FILES = [
  { href: serverPaths.scansExport, name: 'Scans', format: 'CSV', content: 'Your scan history' },
  {
    href: serverPaths.shopPartsExport,
    name: 'Shop parts',
    format: 'CSV',
    content: 'All but the photos',
  },
  {
    href: serverPaths.shopPartsAces,
    name: 'Fitments',
    format: 'ACES XML',
    content: 'Vehicles that your parts fit',
  },
  {
    href: serverPaths.shopPartsPies,
    name: 'Part data',
    format: 'PIES XML',
    content: 'Parts with prices and notes',
  },
  {
    href: serverPaths.usageExport,
    name: 'Usage',
    format: 'CSV',
    content: 'Scans of the last 30 days and their cost',
  },
] as const;

/** What a shop can take along as files. */
export function ShopExportsRoute() {
  return (
    <ShopPage
      title="Exports"
      about="What your shop knows, as files for other programs."
      signIn="Sign in to export what your shop knows."
    >
      {(user) =>
        hasShop(user) ? (
          <Files />
        ) : (
          <InBusiness>With Business your scans, parts and usage are files here.</InBusiness>
        )
      }
    </ShopPage>
  );
}

function Files() {
  return (
    <Card aria-label="Files" className="grid grid-cols-1 gap-4">
      <ul aria-label="Files" className="divide-y rounded-md border">
        {FILES.map(({ href, name, format, content }) => (
          <li key={href} className="flex flex-wrap items-center justify-between gap-3 p-3">
            <div className="min-w-0 flex-1 basis-40">
              <p className="text-sm font-medium">{name}</p>
              <p className="text-sm text-muted">{content}</p>
            </div>
            <Button asChild size="small" className="shrink-0">
              <a href={href} download aria-label={`Download ${name} as ${format}`}>
                <Download className="size-4" aria-hidden />
                {format}
              </a>
            </Button>
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        Records of vehicles are exported on the page of{' '}
        <TextLink to={paths.vehicle}>vehicles</TextLink>, and all that is kept about you on{' '}
        <TextLink to={paths.profile}>your account page</TextLink>.
      </p>
    </Card>
  );
}
