import { useState } from 'react';
import { useNavigate } from 'react-router';
import { SEARCH_MAX_LENGTH } from '@/api/part-search';
import { PartSearchBox } from '@/components/part-search-box';
import { Dialog } from '@/components/ui/dialog';
import { partHref, shopPartHref } from '@/config/paths';

type FindPartDialogProps = {
  /** The number that a scanner typed or a code holds. */
  text: string;
  onClose: () => void;
};

/** Looks for the part of a number, over the screen that is open. */
export function FindPartDialog({ text, onClose }: FindPartDialogProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(true);
  const close = () => {
    setOpen(false);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Find Part"
      description="What was scanned is looked for among your parts and all part types. Scan the next code to look for that."
    >
      {/* Room for the list of what is found, which hangs below the field. */}
      <div className="min-h-80">
        <PartSearchBox
          label="Name, number or brand"
          initialText={text.slice(0, SEARCH_MAX_LENGTH)}
          autoFocus
          onChoose={({ kind, id, category }) => {
            close();
            void navigate(kind === 'part' ? shopPartHref(id) : partHref(category, id));
          }}
        />
      </div>
    </Dialog>
  );
}
