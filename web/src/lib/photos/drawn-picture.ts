/**
 * A picture file as a PNG of at most `side` pixels a side, or null for what this browser cannot show.
 *
 * What is shown before it is saved is then what the server gets: it takes PNG, whatever the picker offers.
 */
export async function drawnPicture(file: Blob, side: number): Promise<Blob | null> {
  const address = URL.createObjectURL(file);
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    // A drawing without a size of its own has none here.
    const width = picture.naturalWidth || side;
    const height = picture.naturalHeight || side;
    const scale = Math.min(1, side / Math.max(width, height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const context = canvas.getContext('2d');
    if (context === null) return null;
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
}
