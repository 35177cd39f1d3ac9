// Before anything is drawn: the colours somebody chose here, if they did.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('engramma-theme');
  } catch (error) {
    /* storage may be off */
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
})();
