// Days and numbers as the reader writes them: by the languages the browser asks pages for, which need not be the one
// of its menus. A browser that names something that is no language gets its own default.
function known(languages) {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(languages);
  } catch (error) {
    return [];
  }
}
const LANGUAGES = known([...(navigator.languages || [])]).slice(0, 1);

// Without one that is known, the browser's default.
export const dates = (parts) => new Intl.DateTimeFormat(LANGUAGES.length ? LANGUAGES : undefined, parts);
const numbers = (parts) => new Intl.NumberFormat(LANGUAGES.length ? LANGUAGES : undefined, parts);

const DAY_PARTS = { year: 'numeric', month: 'short', day: 'numeric' };
const CLOCK_PARTS = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const MINUTE_PARTS = { ...DAY_PARTS, ...CLOCK_PARTS };
export const DAY = dates(DAY_PARTS);
export const MINUTE = dates(MINUTE_PARTS);
export const CLOCK = dates(CLOCK_PARTS);
export const ZONED = dates({ ...MINUTE_PARTS, timeZoneName: 'short' });
export const CALENDAR = dates({ ...DAY_PARTS, timeZone: 'UTC' });

const WHOLE = numbers({ maximumFractionDigits: 3 });
const DIGITS = [0, 1, 2].map((most) => numbers({ minimumFractionDigits: most, maximumFractionDigits: most }));
export const number = (value) => WHOLE.format(Number(value || 0));
export const rounded = (value, digits) => DIGITS[digits].format(value);
