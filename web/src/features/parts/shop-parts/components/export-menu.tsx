import { Download } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { Button } from '@/components/ui/button';
import { serverPaths } from '@/config/paths';

const files = [
  { href: serverPaths.shopPartsExport, name: 'CSV', content: 'All but the photos' },
  { href: serverPaths.shopPartsAces, name: 'ACES XML', content: 'Vehicles that the parts fit' },
  { href: serverPaths.shopPartsPies, name: 'PIES XML', content: 'Parts with prices and notes' },
] as const;

/** The files that the parts of the shop go out as. */
export function ExportMenu() {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button>
          <Download className="size-4" aria-hidden />
          Export
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        collisionPadding={12}
        className="z-50 min-w-56 animate-fade rounded-lg border bg-raised p-1.5 shadow-float"
      >
        {files.map(({ href, name, content }) => (
          <DropdownMenu.Item
            key={name}
            asChild
            className="menu-entry flex-col items-start justify-center py-1"
          >
            <a href={href} download>
              {name}
              <span className="text-xs text-muted">{content}</span>
            </a>
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
