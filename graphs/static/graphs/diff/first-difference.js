// Where two long texts begin to differ, so that what is shown of them is not the same. Pure.

const LEAD = 30;

/** From where on both are shown: 0, or shortly before the first difference if the first `longest` characters hide it. */
export function startOf(old, now, longest) {
  if (old.slice(0, longest) !== now.slice(0, longest)) return 0;
  const most = Math.min(old.length, now.length);
  let same = longest;
  while (same < most && old[same] === now[same]) same += 1;
  return same < Math.max(old.length, now.length) ? Math.max(0, same - LEAD) : 0;
}
