import { useNavigate } from 'react-router';
import { PartSearchBox } from '@/components/part-search-box';
import { partHref, shopPartHref } from '@/config/paths';
import { useAddressText } from '@/hooks/use-address-text';

/** Finds any part type and any part of the shop, and opens it. The search is in the address, beside that of a list. */
export function FindPart() {
  const navigate = useNavigate();
  const search = useAddressText('find');
  return (
    <div className="max-w-xl">
      <PartSearchBox
        label="Find a part or a part number"
        placeholder="Spark plug, ILZKR7B-11S or NGK"
        kept={search}
        onChoose={({ kind, id, category }) =>
          void navigate(kind === 'part' ? shopPartHref(id) : partHref(category, id))
        }
      />
    </div>
  );
}
