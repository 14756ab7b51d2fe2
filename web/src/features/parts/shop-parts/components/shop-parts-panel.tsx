import { useQuery } from '@tanstack/react-query';
import { FileUp, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { ManagersOnly } from '@/components/managers-only';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { ExportMenu } from '@/features/parts/shop-parts/components/export-menu';
import { ImportPartsDialog } from '@/features/parts/shop-parts/components/import-dialog';
import { ShopPartDialog } from '@/features/parts/shop-parts/components/shop-part-dialog';
import { ShopPartList } from '@/features/parts/shop-parts/components/shop-part-list';
import { IMPORT_DRAFT, shopPartDraftKey } from '@/features/parts/shop-parts/model';
import { shopPartQueries } from '@/features/parts/shop-parts/queries';
import { useHasDraft } from '@/hooks/use-draft';

type ShopPartsPanelProps = {
  /** The part that the address names, which opens. */
  asked: string | null;
  /** Whether the viewer may change what the shop shares; undefined until that is known. */
  mayChange: boolean | undefined;
  /** The asked part was closed. */
  onClose: () => void;
};

/** The parts of the shop, and the ways in and out. */
export function ShopPartsPanel({ asked, mayChange, onClose }: ShopPartsPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [form, setForm] = useState<'new' | Schemas['ShopPart'] | null>(
    useHasDraft(shopPartDraftKey(null)) ? 'new' : null,
  );
  const [importing, setImporting] = useState(useHasDraft(IMPORT_DRAFT));
  const named = useQuery({ ...shopPartQueries.one(asked ?? ''), enabled: asked !== null });
  const add = mayChange === true && (
    <Button look="primary" onClick={() => setForm('new')}>
      <Plus className="size-4" aria-hidden />
      Add Part
    </Button>
  );
  const opened = form ?? (asked === null ? undefined : named.data);
  return (
    <Card aria-labelledby="shop-parts-title" className="grid grid-cols-1 content-start gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="shop-parts-title" ref={heading} tabIndex={-1} className="section-title">
          Parts of your shop
        </h2>
        <div className="flex flex-wrap gap-2">
          <ExportMenu />
          {mayChange === true && (
            <Button onClick={() => setImporting(true)}>
              <FileUp className="size-4" aria-hidden />
              Import
            </Button>
          )}
          {add}
        </div>
      </header>
      {mayChange === false && <ManagersOnly />}
      {asked !== null && named.isError && (
        <Notice tone="bad" title="This part could not be opened" onDismiss={onClose}>
          {sentenceOf(named.error, 'Try again in a moment.')}
        </Notice>
      )}
      <ShopPartList heading={heading} onEdit={setForm} emptyAction={add} />
      {opened !== undefined && (
        <ShopPartDialog
          key={opened === 'new' ? 'new' : opened.id}
          part={opened === 'new' ? null : opened}
          onClose={() => {
            setForm(null);
            if (asked !== null) onClose();
          }}
        />
      )}
      {importing && <ImportPartsDialog onClose={() => setImporting(false)} />}
    </Card>
  );
}
