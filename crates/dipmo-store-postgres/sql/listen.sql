-- Hears of what becomes ready on one side, from whichever instance.
listen dipmo_{box}
